"""What answers a request: functions behind wrappers, classes by their methods, and the methods that they test for."""
