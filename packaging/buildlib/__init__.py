"""Makes the installers: the frozen program, the .deb and the portable edition."""
