"""Words of manuals in German."""

TEXT = """part: die Abdeckung | den Filter | die Batterie | den Hebel | den Schalter | den Wassertank | den Riemen | die Anzeige | die Sicherung | das Ventil | das Messer | den Schlauch
| Drücken Sie auf {part}, bis ein Klicken zu hören ist.
| Entfernen Sie {part} durch eine Drehung nach links.
| Verbinden Sie das Kabel und schließen Sie {part} an.
| Warten Sie {count} Sekunden, bis die Lampe grün leuchtet.
| Reinigen Sie {part} einmal pro Woche mit einem trockenen Tuch.
| Öffnen Sie das Gehäuse und prüfen Sie {part}.
| Stellen Sie den Regler auf Stufe {small}.
| Ersetzen Sie {part} nach {count} Betriebsstunden.
| Halten Sie die Taste {small} Sekunden lang gedrückt, um das Gerät zurückzusetzen.
| Vergewissern Sie sich vor dem Einschalten, dass das Gerät geschlossen ist.
| Zeigt das Gerät E{small} an, schalten Sie es aus und prüfen Sie {part}.
| Ziehen Sie die {small} Schrauben gleichmäßig fest.
| Füllen Sie Wasser bis zur Markierung ein und setzen Sie {part} wieder ein.
title: Bedienungsanleitung Modell {number} | Erste Schritte | Wartung und Pflege | Montage | Hilfe bei Störungen
section: Vor dem ersten Gebrauch | Teile wechseln | Reinigung | Technische Daten | Sicherheit | Lagerung | Einbau
alert: Warnung | Vorsicht! | Hinweis | Gefahr
warning: Öffnen Sie nie das Gehäuse, während das Gerät läuft. | Ziehen Sie den Netzstecker, bevor Sie das Gerät berühren. | Heiße Teile! Lassen Sie das Gerät {count} Minuten abkühlen.
columns: Eigenschaft; Wert | Störung; Abhilfe
row: Gewicht; {count} g
row: Spannung; {count} V
row: Leistung; {count} W
row: Geräusch; {count} dB
row: Länge des Schlauchs; {count} cm
row: Lampe ist rot; Stecker prüfen
caption: Abb. {small}: Ansicht von vorn | Abb. {small}: Modell {number}, geöffnet"""
