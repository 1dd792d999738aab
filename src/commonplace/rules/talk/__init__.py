"""What a conversation says: lessons, corrections, wishes not to keep, and what answers what."""
