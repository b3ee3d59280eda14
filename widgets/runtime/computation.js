// Owns one computation in the worker. A view that takes long comes in steps: between two of them the worker says how
// far it is, and hears whether anybody still wants it.

const BREATH = 100; // ms from one sign of life to the next

let unwanted = 0;

// The computation with this number is to stop at its next step.
export const stop = ({ id }) => (unwanted = id);

// Take all steps of `steps`, an iterator over shares from 0 to 1 that returns the answer. Resolves to the answer, or to
// undefined once nobody wants it; `working` hears the share, null where it isn't known.
export async function take(steps, id, working) {
  for (let told = performance.now(); ; ) {
    const { done, value } = steps.next();
    if (done) return value;
    if (performance.now() - told < BREATH) continue;
    working(value ?? null);
    await new Promise((resolve) => setTimeout(resolve));
    if (unwanted === id) return undefined;
    told = performance.now();
  }
}
