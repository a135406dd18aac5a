"""Traces and metrics by OpenTelemetry, an extra that costs nothing where it is not asked for."""
