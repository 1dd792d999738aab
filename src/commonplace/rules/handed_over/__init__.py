"""What an agent is handed: the lines of a start, their budget, and the frame around them."""
