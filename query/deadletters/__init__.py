"""Dead letters for operators: what is there, a masked look, replay and drop."""
