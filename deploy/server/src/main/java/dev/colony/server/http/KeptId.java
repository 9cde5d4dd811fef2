package dev.colony.server.http;

import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.List;
import java.util.Optional;

/**
 * Ids that say where what they name is kept: a prefix, and the names of the place in base64url. Who
 * makes one up finds nothing by it that the key may not have.
 */
final class KeptId {

  private static final String SEPARATOR = "\n";

  private KeptId() {}

  static String text(String prefix, String... names) {
    byte[] place = String.join(SEPARATOR, names).getBytes(StandardCharsets.UTF_8);
    return prefix + Base64.getUrlEncoder().withoutPadding().encodeToString(place);
  }

  /** The names; empty where the text is no such id. */
  static Optional<List<String>> parts(String prefix, String text, int number) {
    if (!text.startsWith(prefix)) {
      return Optional.empty();
    }
    try {
      byte[] place = Base64.getUrlDecoder().decode(text.substring(prefix.length()));
      List<String> names = List.of(new String(place, StandardCharsets.UTF_8).split(SEPARATOR, -1));
      return Optional.of(names).filter(found -> found.size() == number);
    } catch (IllegalArgumentException none) {
      return Optional.empty();
    }
  }
}
