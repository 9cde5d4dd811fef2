package dev.colony.vcm.source;

import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Names a source as a URI does: {@code SCHEME:PLACE?NAME=VALUE&NAME=VALUE#FRAGMENT}. What has no
 * scheme is a place on the disk, in which neither question mark nor number sign says anything.
 *
 * @param scheme in lower case
 * @param place as it stands there, not decoded
 * @param parameters by name, decoded
 * @param fragment empty where there is none
 */
public record SourceSpec(
    String scheme, String place, Map<String, String> parameters, Optional<String> fragment) {

  /** The scheme of a place on the disk. */
  public static final String FILE = "file";

  // Two letters at least: C:\src is a place on a disk.
  private static final Pattern SHAPE =
      Pattern.compile("([a-z][a-z0-9+.-]+):([^?#]*)(?:\\?([^#]*))?(?:#(.*))?", Pattern.DOTALL);

  public SourceSpec {
    parameters = Map.copyOf(parameters);
  }

  /**
   * Reads a spec.
   *
   * @throws IllegalArgumentException if a parameter has no value, or is given twice; the message is
   *     one line
   */
  public static SourceSpec parse(String text) {
    Matcher parts = SHAPE.matcher(text);
    if (!parts.matches()) {
      return new SourceSpec(FILE, text, Map.of(), Optional.empty());
    }
    if (parts.group(1).equals(FILE)) {
      String place = text.substring(FILE.length() + 1);
      return new SourceSpec(
          FILE, place.startsWith("///") ? place.substring(2) : place, Map.of(), Optional.empty());
    }
    Map<String, String> parameters = new TreeMap<>();
    if (parts.group(3) != null) {
      for (String parameter : parts.group(3).split("&", -1)) {
        int equals = parameter.indexOf('=');
        if (equals < 1
            || parameters.put(
                    decoded(parameter.substring(0, equals)),
                    decoded(parameter.substring(equals + 1)))
                != null) {
          throw new IllegalArgumentException(
              text + ": write each parameter once, as NAME=VALUE, with & between them");
        }
      }
    }
    return new SourceSpec(
        parts.group(1),
        parts.group(2),
        parameters,
        Optional.ofNullable(parts.group(4)).map(SourceSpec::decoded));
  }

  private static String decoded(String text) {
    return URLDecoder.decode(text.replace("+", "%2B"), StandardCharsets.UTF_8);
  }

  /**
   * A parameter that is a whole number.
   *
   * @throws IllegalArgumentException if it is none or out of the range, in one line
   */
  public int number(String name, int otherwise, int least, int most) {
    String value = parameters.get(name);
    if (value == null) {
      return otherwise;
    }
    try {
      int number = Integer.parseInt(value);
      if (number >= least && number <= most) {
        return number;
      }
    } catch (NumberFormatException refusedBelow) {
      // said together with what is out of the range
    }
    throw new IllegalArgumentException(
        "%s: %s is %s, must be %d to %d".formatted(this, name, value, least, most));
  }

  /** The spec again, without its parameters and its fragment. */
  @Override
  public String toString() {
    return scheme.equals(FILE) ? place : scheme + ":" + place;
  }
}
