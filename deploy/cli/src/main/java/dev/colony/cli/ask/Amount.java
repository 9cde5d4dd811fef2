package dev.colony.cli.ask;

import java.util.Locale;

/** Large numbers as people read them. */
final class Amount {

  private Amount() {}

  /** For example {@code 812}, {@code 188 k}, {@code 6.1 M}. */
  static String tokens(long tokens) {
    if (tokens < 1_000) {
      return Long.toString(tokens);
    }
    return tokens < 1_000_000
        ? String.format(Locale.ROOT, "%.0f k", tokens / 1e3)
        : String.format(Locale.ROOT, "%.1f M", tokens / 1e6);
  }
}
