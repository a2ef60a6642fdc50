{
  const form = document.querySelector("form.choice"), command = document.getElementById("chosen"), page = document.getElementById("chosen-page");
  const [base, candidate] = form.querySelectorAll("select"), shown = [base.value, candidate.value].join();
  const choose = () => {
    for (const one of candidate.options) one.disabled = one.value === base.value;
    if (candidate.selectedOptions[0].disabled) candidate.value = [...candidate.options].find((one) => !one.disabled).value;
    command.textContent = `latlab compare ${base.value} ${candidate.value}`;
    if (page) page.hidden = [base.value, candidate.value].join() !== shown;
    if (document.getElementById("figures")) putBeside(base.value, candidate.value);
  };
  const followAddress = () => {
    const named = new URLSearchParams(location.hash.slice(1));
    for (const [select, run] of [[base, named.get("a")], [candidate, named.get("b")]])
      if ([...select.options].some((one) => one.value === run)) select.value = run;
    choose();
  };
  form.hidden = false;
  form.addEventListener("change", () => { choose(); location.replace(`#a=${encodeURIComponent(base.value)}&b=${encodeURIComponent(candidate.value)}`); });
  form.addEventListener("submit", (event) => event.preventDefault());
  addEventListener("hashchange", followAddress);
  followAddress();
}
