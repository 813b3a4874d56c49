"""The data that must survive a restart: deliveries, timers and conversations, in one database."""
