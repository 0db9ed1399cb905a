// Machine, region and purchase: lists of what the catalogue in the page has prices of.
import { money } from '../../../plots/numbers.js';

const keysOfCluster = { machine: '/cluster/instance', region: '/cluster/region', purchase: '/cluster/purchase' };
const serviceNames = { ec2: 'AWS EC2', sagemaker: 'AWS SageMaker', gcp: 'Google Cloud', azure: 'Azure', lambda: 'Lambda' };
const priceKeys = { on_demand: 'on_demand_usd_per_h', spot: 'spot_usd_per_h' };
// What these cost is in no price list: a contract's discount, or what was booked. The program says which key they need.
const purchaseWords = { on_demand: 'on demand', spot: 'spot', savings_plan: 'savings plan', capacity_block: 'capacity block',
  training_plan: 'training plan' };

const option = (value, text, attributes = {}) => Object.assign(new Option(text, value), attributes);
const hourly = (price) => (price == null ? '' : ` (${money(price)} an hour)`);

function machineOptions(instances) {
  const groups = instances.reduce((all, one) => all.set(one.service, [...(all.get(one.service) ?? []), one]), new Map());
  return [...groups].map(([service, all]) => {
    const group = Object.assign(document.createElement('optgroup'), { label: serviceNames[service] ?? service });
    group.append(...all.map(({ instance, gpus, gpu }) => option(instance, `${instance}: ${gpus} × ${gpu ?? 'GPU'}`)));
    return group;
  });
}

/// The lists of `selects` ({machine, region, purchase}); `change(pointer, value)` is told what is chosen, null: nothing
/// stated. {show(places of the text)} brings them up to date with a scenario.
export function startControls(selects, engine, change) {
  const instances = JSON.parse(engine.instances());
  const known = new Set(instances.map(({ instance }) => instance));
  const pricesOf = new Map();
  const prices = (instance) => {
    if (!pricesOf.has(instance)) pricesOf.set(instance, JSON.parse(engine.prices(instance)));
    return pricesOf.get(instance);
  };
  selects.machine.append(...machineOptions(instances));
  for (const [name, pointer] of Object.entries(keysOfCluster)) {
    selects[name].addEventListener('change', () => change(pointer, selects[name].value || null));
  }

  /// A machine that the list lacks stands before it: another one of the catalogue, or the scenario's own.
  const showMachine = (place) => {
    selects.machine.querySelector('option[data-own]')?.remove();
    const stated = typeof place?.value === 'string' ? place.value : '';
    if (!known.has(stated)) {
      const text = stated || (place?.open ? 'several, as the scenario lists them' : 'as the scenario describes it');
      const own = option(stated, text);
      own.dataset.own = 'true';
      selects.machine.prepend(own);
    }
    selects.machine.value = stated;
    return stated;
  };

  const show = (places) => {
    const at = (name) => places.get(keysOfCluster[name]);
    const text = (name) => (typeof at(name)?.value === 'string' ? at(name).value : '');
    const machine = showMachine(at('machine'));
    // Prices of the scenario's own hold everywhere.
    const ownPrice = ['/cluster/price', '/cluster/prices'].some((pointer) => (places.get(pointer)?.value ?? places.get(pointer)?.open ?? null) !== null);
    const rows = machine === '' ? [] : prices(machine);
    const [region, purchase] = [text('region'), text('purchase') || 'on_demand'];
    const priceOf = (row, way) => (row && !ownPrice ? row[priceKeys[way] ?? priceKeys.on_demand] : null);
    const has = (row, way) => ownPrice || !row || !(way in priceKeys) || row[priceKeys[way]] != null;

    const named = rows.filter((row) => row.region !== null);
    const first = rows.find((row) => row.region === null);
    const regions = named.map((row) => option(row.region, row.region + hourly(priceOf(row, purchase)), { disabled: !has(row, purchase) }));
    if (region !== '' && named.every((row) => row.region !== region)) regions.unshift(option(region, region));
    selects.region.replaceChildren(option('', `not stated${hourly(priceOf(first, purchase))}`, { disabled: !has(first, purchase) }), ...regions);
    selects.region.value = region;

    const here = region === '' ? first : named.find((row) => row.region === region);
    selects.purchase.replaceChildren(...Object.entries(purchaseWords).map(([way, words]) =>
      option(way, way in priceKeys ? words + hourly(priceOf(here, way)) : words, { disabled: !has(here, way) })));
    selects.purchase.value = purchase;
  };
  return { show };
}
