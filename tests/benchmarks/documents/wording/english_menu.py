"""Words of menus in English."""

TEXT = """with: fried potatoes | green salad | rice | fresh bread | herb butter | mushrooms | seasonal vegetables | mustard sauce
| Soup of the day with {with}
| Grilled trout with {with}
| Roast beef with {with}
| Tomato salad with {with}
| Vegetable curry and {with}
| Homemade dumplings, {with}
| Cheese plate with {with}
| Chocolate cake with vanilla ice cream
| Apple pie, warm, with cream
| Lemonade, 0.{small} l
| Red wine from {city}, glass
| Coffee or tea
| Burger of the house with {with}
| Baked goat cheese on {with}
title: Menu | The Golden {noun^} | {last_name}'s Kitchen | Lunch menu, {month} | Restaurant {city}
section: Starters | Soups | Main courses | Fish | Desserts | Drinks | For children | From the grill
note: All prices include service. | Please ask us about allergens. | Open daily until {small} p.m."""
