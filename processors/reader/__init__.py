"""The reader step: what a screened turn says becomes candidates for memory."""
