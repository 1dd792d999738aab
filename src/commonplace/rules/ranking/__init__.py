"""How a question is read, how found memories are ordered, and how good an order is."""
