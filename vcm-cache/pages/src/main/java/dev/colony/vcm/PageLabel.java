package dev.colony.vcm;

import dev.colony.vcm.schedule.Sensitivity;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * Whose a page is, how sensitive, and what else is known of it. A page's id is of its text and its
 * label: the same text under another label is another page, so that neither is ever handed out for
 * the other.
 *
 * @param owner the only tenant that may read it; empty where it is shared
 * @param metadata names and values, without line feeds
 */
public record PageLabel(
    Optional<String> owner, Sensitivity sensitivity, Map<String, String> metadata) {

  /** Of a page that all may read, of which nothing is known. */
  public static final PageLabel NONE =
      new PageLabel(Optional.empty(), Sensitivity.PUBLIC, Map.of());

  public PageLabel {
    metadata = Map.copyOf(metadata);
    metadata.forEach((name, value) -> {
      if ((name + value).indexOf('\n') >= 0) {
        throw new IllegalArgumentException("the metadata " + name + " has a line feed");
      }
    });
  }

  /** Shared, of a class. */
  public static PageLabel of(Sensitivity sensitivity) {
    return new PageLabel(Optional.empty(), sensitivity, Map.of());
  }

  /** As one text, the same for equal labels; empty for {@link #NONE}. */
  public String canonical() {
    if (equals(NONE)) {
      return "";
    }
    SortedMap<String, String> sorted = new TreeMap<>(metadata);
    StringBuilder text = new StringBuilder("label ").append(sensitivity.word()).append('\n');
    owner.ifPresent(tenant -> text.append("owner ").append(tenant).append('\n'));
    sorted.forEach((name, value) ->
        text.append("metadata ").append(name).append('=').append(value).append('\n'));
    return text.toString();
  }
}
