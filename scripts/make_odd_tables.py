"""Writes the tables of docs/cli/files.md: files as people have them. Invented, small, always the same."""

from datetime import date, timedelta
from pathlib import Path

FOLDER = Path(__file__).parents[1] / "docs" / "cli" / "data" / "odd"

state = 42


def draw(n):
    """A number below n, the same on every machine."""
    global state
    state = (state * 6364136223846793005 + 1442695040888963407) % 2**64
    return (state >> 33) % n


def write(name, text, encoding="utf-8"):
    (FOLDER / name).write_bytes(text.encode(encoding))


def german(value, digits=2):
    """1234.5 as 1.234,50."""
    return f"{value:,.{digits}f}".translate(str.maketrans(",.", ".,"))


def rows(header, make, n):
    return "\n".join([header, *(make(i) for i in range(n))]) + "\n"


def orders(i):
    day = date(2023, 1, 3) + timedelta(days=draw(700))
    total, rate, weight = draw(900000) / 100, draw(400) / 10, draw(250) / 10
    late = "ja" if total > 4000 and rate < 25 or draw(8) == 0 else "nein"
    return f"{day:%d.%m.%Y};{german(total)};{german(rate, 1)} %;{german(weight, 1)};{late}"


def sales(i):
    day = date(2024, 2, 1) + timedelta(days=draw(300))
    amount, margin = draw(3000000) / 100, draw(40)
    due = date(2024, 1 + draw(12), 1 + draw(12))
    paid = "True" if amount < 14000 or draw(6) == 0 else "False"
    return f'{day},"{amount:,.2f}",{margin}%,{due:%d/%m/%Y},{paid}'


def people(i):
    age, smoker = 20 + draw(60), ["never", "former", "daily"][draw(3)]
    ill = "yes" if age > 55 and smoker != "never" or draw(10) == 0 else "no"
    scan = f"{draw(90) / 10}" if i in (7, 31) else ""
    therapy = "insulin" if ill == "yes" else "none"
    return f"{10001 + i},{age},{smoker},DE,{scan},,{'n.d.' if i == 17 else 1 + draw(5)},{therapy},{ill}"


def species(i):
    kind = i if i < 50 else min(draw(50), draw(60))
    return f"{kind / 10 + draw(10) / 10:.1f},{draw(80) / 10},{['marsh', 'dune', 'wood'][draw(3)]},{KINDS[kind]}"


KINDS = [a + b for a in ["red", "white", "blue", "dwarf", "giant"]
         for b in ["fern", "sedge", "reed", "moss", "rush", "heath", "thyme", "vetch", "clover", "iris"]]

NAMES = [
    "systolic blood pressure in mmHg, measured in the morning before breakfast",
    "systolic blood pressure in mmHg, measured in the evening after dinner",
    "Größe (cm)",
    "体重（公斤）",
    "état civil",
    "answer 🙂",
]


def names(i):
    size = 150 + draw(50)
    status = ["célibataire", "mariée", "veuf"][draw(3)]
    answer = "да" if size > 175 or draw(7) == 0 else "нет"
    return f"{110 + draw(50)},{115 + draw(50)},{size},{50 + draw(50)},{status},{answer}"


def main():
    FOLDER.mkdir(exist_ok=True)
    write("orders.csv", rows("Datum;Summe;Rabatt;Gewicht;verspätet", orders, 40))
    write("sales.csv", rows("day,amount,margin,due,paid", sales, 40))
    write("people.csv", rows("patient_id,age,smoker,country,scan,notes,pain,therapy,ill", people, 60))
    write("species.csv", rows("height,width,habitat,species", species, 300))
    header = ",".join(f'"{name}"' for name in NAMES)
    write("names.csv", rows(header, names, 30))
    # As Excel saves it in Germany: a byte-order mark, CRLF, a delimiter at the end of every line.
    excel = rows("Alter;Größe;krank;", lambda i: f"{18 + 13 * i % 61};{150 + draw(40)},5;{'ja' if i > 12 else 'nein'};", 24)
    write("excel.csv", excel.replace("\n", "\r\n"), "utf-8-sig")
    write("twice.csv", "age,weight,age,ill\n31,70,31,no\n55,80,55,yes\n")
    write("header.csv", "age,weight,ill\n")
    write("one-row.csv", "age,weight,ill\n31,70,no\n")
    write("empty.csv", "")
    ill = ["no", "yes", "", "no", "NA", "yes", "no", "?", "no", "yes"]
    write("no-class.csv", rows("age,ward,ill", lambda i: f"{30 + 7 * i % 40},{'ABC'[i % 3]},{ill[i]}", 10))
    wide = ",".join([f"gene{i:03}" for i in range(120)] + ["tumour"])
    write("wide.csv", rows(wide, lambda i: ",".join(
        ["0" if j % 9 == 4 else str(draw(100)) for j in range(120)] + ["yes" if i % 3 else "no"]), 12))


if __name__ == "__main__":
    main()
