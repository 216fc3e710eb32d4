/* Numbers as all pages write them. */

/** @param {number} value a share from 0 to 1 */
export const percent = (value) => `${Math.round(100 * value)}%`;

/** A probability as every graph writes it: `number` of Python's `draw/names.py` does the same.
 *
 * @param {number} value */
export const number = (value) => {
  if (value === 0 || value === 1) return String(value);
  if (value > 0 && value < 0.0005) return "<0.001";
  return value >= 0.9995 && value < 1 ? ">0.999" : value.toFixed(3);
};

/** What comes after a name: ` = 0.250`, ` < 0.001`. @param {number} value */
export const equals = (value) => {
  const text = number(value);
  return "<>".includes(text[0]) ? ` ${text[0]} ${text.slice(1)}` : ` = ${text}`;
};

/** A number kept from 0 to 1, without the noise of sums. @param {number} value */
export const within = (value) => Math.min(Math.max(Number(value.toFixed(4)), 0), 1);
