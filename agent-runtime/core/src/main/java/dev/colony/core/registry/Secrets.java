package dev.colony.core.registry;

import dev.colony.blackboard.value.Text;
import java.io.IOException;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.UnaryOperator;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Values with what they name put in, and the means to keep these out of logs: {@code ${env:NAME}}
 * stands for an environment variable of the node, {@code ${file:PATH}} for the content of a file on
 * it, without the line ends behind it. Made for one connection; thread-safe.
 */
public final class Secrets {

  private static final Pattern NAMED = Pattern.compile("\\$\\{(env|file):([^}]*)\\}");
  private static final int MAX_CHARS = 65_536;
  private static final String SHOWN = "***";

  /** Shorter ones would blot out ordinary text. */
  private static final int LEAST_SECRET = 4;

  private final UnaryOperator<String> environment;
  private final List<String> known = new ArrayList<>();

  /**
   * @param environment an environment variable by its name, or null
   */
  public Secrets(UnaryOperator<String> environment) {
    this.environment = environment;
  }

  /**
   * Refuses a value that names something in another way than it can be put in.
   *
   * @throws IllegalArgumentException which does not show the value
   */
  public static void check(String value) {
    if (NAMED.matcher(value).replaceAll("").contains("${")) {
      throw new IllegalArgumentException(
          "a value holds a ${ that is neither ${env:NAME} nor ${file:PATH}");
    }
  }

  /** What values name, as {@code env:NAME} and {@code file:PATH}, in order. */
  public static Set<String> named(Collection<String> values) {
    Set<String> names = new TreeSet<>();
    for (String value : values) {
      NAMED.matcher(value).results().forEach(one -> names.add(one.group(1) + ":" + one.group(2)));
    }
    return names;
  }

  /**
   * The values with what they name in its place. Blocks for files.
   *
   * @throws IllegalStateException naming the variable or the file that is not there
   */
  public Map<String, String> resolve(Map<String, String> values) {
    Map<String, String> resolved = new TreeMap<>();
    values.forEach((name, value) -> resolved.put(name, resolve(value)));
    return resolved;
  }

  private String resolve(String value) {
    Matcher named = NAMED.matcher(value);
    return named.replaceAll(
        match -> Matcher.quoteReplacement(named(match.group(1), match.group(2))));
  }

  private String named(String kind, String name) {
    String secret = kind.equals("env") ? environment.apply(name) : file(name);
    if (secret == null) {
      throw new IllegalStateException("the environment variable " + name + " is not set");
    }
    if (secret.length() >= LEAST_SECRET) {
      synchronized (known) {
        known.add(secret);
      }
    }
    return secret;
  }

  private static String file(String name) {
    try {
      return Text.ofFile(Path.of(name), MAX_CHARS).stripTrailing();
    } catch (InvalidPathException none) {
      throw new IllegalStateException("the file " + name + " cannot be read", none);
    } catch (IOException unreadable) {
      throw new IllegalStateException("the file " + name + " cannot be read", unreadable);
    } catch (IllegalArgumentException large) {
      throw new IllegalStateException("the file " + name + " is larger than " + MAX_CHARS, large);
    }
  }

  /** A text without those that were put in. */
  public String redact(String text) {
    String shown = text;
    synchronized (known) {
      for (String secret : known) {
        shown = shown.replace(secret, SHOWN);
      }
    }
    return shown;
  }
}
