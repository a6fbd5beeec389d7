"""How a memory is put together from the words of turns: programs, the tables they draw on, and their realisation."""
