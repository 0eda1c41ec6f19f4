-- Whoever wrote a comment, and an owner, may remove it.
GRANT DELETE ON comments TO retrace_hub;
