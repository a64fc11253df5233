"""Small widgets the panels are made of; none of them knows the workspace."""
