{
  const asked = document.querySelector("form[role=search] input"), told = document.createElement("p");
  const items = [...document.querySelectorAll("ul.sentences li")].map((one) => [one, one.textContent.toLowerCase()]);
  told.className = "note";
  told.setAttribute("role", "status");
  asked.form.after(told);
  const find = () => {
    const wanted = asked.value.toLowerCase().split(/\s+/).filter(Boolean);
    let count = 0;
    for (const [one, said] of items) count += !(one.hidden = !wanted.every((word) => said.includes(word)));
    for (const part of document.querySelectorAll("section")) part.hidden = !part.querySelector("li:not([hidden])");
    told.textContent = wanted.length ? `${count} of ${items.length} pages` : "";
  };
  asked.form.addEventListener("submit", (event) => { event.preventDefault(); find(); });
  asked.addEventListener("input", find);
  asked.value = new URLSearchParams(location.search).get("q") ?? "";
  find();
}
