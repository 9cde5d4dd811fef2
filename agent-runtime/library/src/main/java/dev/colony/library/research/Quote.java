package dev.colony.library.research;

/**
 * Lines as a model quotes them, not yet held against what it was shown.
 *
 * @param firstLine of the span that it means, as the model counted
 * @param lastLine of it
 * @param text of the lines that tell the answer, within the span
 * @param score how well they answer, larger is better
 */
record Quote(String file, int firstLine, int lastLine, String text, double score) {

  Quote {
    file = file == null ? "" : file;
    text = text == null ? "" : text;
  }
}
