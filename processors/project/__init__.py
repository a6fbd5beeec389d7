"""The project step: hot memory and weekly reports, one writer a project."""
