{
  const form = document.querySelector("form.choice"), command = document.getElementById("chosen"), page = document.getElementById("chosen-page");
  const [base, candidate] = form.querySelectorAll("select"), shown = [base.value, candidate.value].join();
  const choose = () => {
    for (const one of candidate.options) one.disabled = one.value === base.value;
    if (candidate.selectedOptions[0].disabled) candidate.value = [...candidate.options].find((one) => !one.disabled).value;
    command.textContent = `latlab compare ${base.value} ${candidate.value}`;
    if (page) page.hidden = [base.value, candidate.value].join() !== shown;
  };
  form.hidden = false;
  form.addEventListener("change", choose);
  form.addEventListener("submit", (event) => event.preventDefault());
  choose();
}
