"""Fields: filling them in, choosing from lists, giving them files, and sending what they hold."""
