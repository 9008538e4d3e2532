"""Words of menus in German."""

TEXT = """with: Bratkartoffeln | grünem Salat | Reis | frischem Brot | Kräuterbutter | Pilzen | Gemüse der Saison | Senfsoße
| Tagessuppe mit {with}
| Gegrillte Forelle mit {with}
| Rinderbraten mit {with}
| Tomatensalat mit {with}
| Gemüsecurry mit {with}
| Hausgemachte Knödel mit {with}
| Käseteller mit {with}
| Schokoladenkuchen mit Vanilleeis
| Warmer Apfelstrudel mit Sahne
| Limonade 0,{small} l
| Rotwein aus {city}, Glas
| Kaffee oder Tee
| Wiener Schnitzel mit {with}
| Gebackener Ziegenkäse mit {with}
title: Speisekarte | Zum goldenen Löwen | Gasthof {last_name} | Mittagskarte {month} | Restaurant {city}
section: Vorspeisen | Suppen | Hauptgerichte | Fisch | Nachtisch | Getränke | Für Kinder | Vom Grill
note: Alle Preise inklusive Bedienung. | Fragen Sie uns nach Allergenen. | Täglich geöffnet bis {small} Uhr."""
