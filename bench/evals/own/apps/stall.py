"""A market stall's app for Streamlit: an order form in tabs, a table to filter, and files in and out.

Run by `streamlit run` in the folder of stock.json; what is entered is kept beside it.
"""

import json
from datetime import date
from pathlib import Path

import pandas
import streamlit as st

stock = pandas.DataFrame(json.loads(Path("stock.json").read_text()))

st.set_page_config(page_title="Market stall", layout="wide")
page = st.sidebar.radio("Page", ["Stock", "Order", "Import"])

if page == "Stock":
    st.title("Stock")
    kinds = st.multiselect("Kinds", sorted(stock["kind"].unique()))
    least = st.slider("Least in stock", 0, 100, 0)
    shown = stock[(stock["count"] >= least) & (stock["kind"].isin(kinds) if kinds else True)]
    st.metric("Articles", len(shown))
    st.metric("Worth", f"€ {(shown['count'] * shown['price']).sum():,.2f}")
    st.table(shown)
    st.download_button("Download as CSV", shown.to_csv(index=False), "stock.csv")
elif page == "Order":
    st.title("Order")
    who, what = st.tabs(["Customer", "Goods"])
    with who:
        name = st.text_input("Name")
        day = st.date_input("Delivery", value=date(2027, 1, 4))
        kind = st.radio("Customer is", ["Private", "Company"], horizontal=True)
        vat = st.text_input("VAT number") if kind == "Company" else ""
    with what:
        article = st.selectbox("Article", stock["name"])
        count = st.number_input("How many", 1, 100, 1)
        gift = st.toggle("Wrap as a gift")
        note = st.text_area("Note")
    if st.button("Place order"):
        order = {
            "name": name,
            "day": str(day),
            "vat": vat,
            "article": article,
            "count": count,
            "gift": gift,
            "note": note,
        }
        with Path("orders.jsonl").open("a") as orders:
            orders.write(json.dumps(order) + "\n")
        st.success(f"Ordered {count} × {article} for {name}.")
else:
    st.title("Import")
    file = st.file_uploader("A CSV file", type="csv")
    if file is not None:
        rows = pandas.read_csv(file)
        st.dataframe(rows)
        if st.button(f"Import {len(rows)} rows"):
            rows.to_json("imported.json", orient="records")
            st.success("Imported.")
