// Owns the words: the English text is its own key, the page carries its translation in a template.

const dictionary = {};

export function learn(template) {
  try {
    Object.assign(dictionary, JSON.parse(template?.content.textContent || "{}"));
  } catch (error) {
    console.warn("shardscope: the page's texts cannot be read, English is used.", error);
  }
}

// A text in the reader's language, its {names} filled in. The first argument is always a literal: tools extract it.
export function t(text, values = {}) {
  const fill = (whole, name) => (name in values ? String(values[name]) : whole);
  return (dictionary[text] || text).replace(/\{(\w+)\}/g, fill);
}
