"""The keys with which programs call the API."""
