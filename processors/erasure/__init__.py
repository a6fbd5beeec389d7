"""Erasure in the steps (C9, N6): the cut-off that late records meet, and what each step gives up."""
