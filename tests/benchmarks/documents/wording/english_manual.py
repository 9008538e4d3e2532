"""Words of manuals in English."""

TEXT = """part: cover | filter | battery | lever | power switch | water tank | drive belt | display | fuse | valve | blade | hose
| Press the {part} until it clicks into place.
| Remove the {part} by turning it to the left.
| Connect the {part} to the {part} with the cable supplied.
| Wait {count} seconds until the lamp turns green.
| Clean the {part} with a dry cloth once a week.
| Open the {part} and check whether the {part} is dry.
| Set the {part} to position {small}.
| Replace the {part} after {count} hours of operation.
| Hold the {part} for {small} seconds to reset the device.
| Make sure that the {part} is closed before you start the device.
| If the display shows E{small}, switch the device off and check the {part}.
| Tighten the {small} screws of the {part} evenly.
| Fill the {part} up to the mark and close the {part}.
title: Operating instructions, model {number} | Getting started | Maintenance | Assembly of the {part} | Troubleshooting
section: Before first use | Changing the {part} | Cleaning | Technical data | Safety | Storage | Installing the {part}
alert: Warning | Caution! | Note | Danger
warning: Never open the {part} while the device is running. | Disconnect the device from the mains before you touch the {part}. | The {part} becomes hot; let it cool for {count} minutes.
columns: Property; Value | Fault; Remedy
row: Weight; {count} g
row: Voltage; {count} V
row: Power; {count} W
row: Noise; {count} dB
row: Length of the hose; {count} cm
row: Lamp is red; replace the {part}
caption: Fig. {small}: The {part} and the {part} | Fig. {small}: Front view of model {number}"""
