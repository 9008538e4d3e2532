"""Words of recipes in English."""

TEXT = """food: apples | carrots | potatoes | mushrooms | tomatoes | chicken | lentils | noodles | pears | onions | pumpkin | beans | plums
| Peel the {food} and cut them into small pieces.
| Melt the butter in a large pan and fry the {food} until they are golden.
| Bake for {count} minutes at medium heat.
| Stir in the cream and let it simmer for {small} minutes.
| Season with salt, pepper and a pinch of nutmeg.
| Mix flour, eggs and sugar to a smooth dough and leave it to rest.
| Drain the {food} and keep a cup of the water.
| Sprinkle with chopped parsley before serving.
| Preheat the oven and grease a baking dish.
| Beat the egg whites until stiff and fold them in.
| Serve warm with {food} and a slice of bread.
| Put the {food} in layers into the dish and pour the sauce over them.
| Bring {small} cups of broth to the boil and add the {food}.
| Leave to cool, then refrigerate overnight.
title: {food^} with {food} | Grandmother's {food} soup | Baked {food} | {food^} salad | Quick {food} stew
intro: Serves {small} · ready in {count} minutes · easy | For {small} people. A dish for cold evenings. | Our readers' favorite from {city}.
ingredients: Ingredients | You need | For the dough | Shopping list
steps: Method | Preparation | How to make it | Directions
ingredient: {count} g {food} | {small} cups flour | {small} eggs | 1 teaspoon salt | {small} tablespoons olive oil | 1 pinch nutmeg | {count} g butter | {count} ml cream | {small} onions, chopped | fresh parsley | ½ cup sugar | {small} cloves of garlic"""
