"""Files in and out, without Qt: presets, scenarios, models, logs, reports."""
