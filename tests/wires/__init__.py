"""What the tests of the wires share: requests, the providers' specifications, what the official SDKs made of both."""
