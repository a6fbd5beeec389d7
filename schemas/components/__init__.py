"""Steps and sinks as they declare themselves: those of this release and those of installed packages."""
