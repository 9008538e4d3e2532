"""What workers share: who holds which model, their queues, their signs of life and their figures."""
