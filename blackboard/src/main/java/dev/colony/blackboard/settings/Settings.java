package dev.colony.blackboard.settings;

import com.typesafe.config.Config;
import com.typesafe.config.ConfigException;
import com.typesafe.config.ConfigFactory;
import com.typesafe.config.ConfigUtil;
import com.typesafe.config.ConfigValueFactory;
import java.lang.reflect.Constructor;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.RecordComponent;
import java.lang.reflect.Type;
import java.math.BigDecimal;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Supplier;
import java.util.stream.Collectors;

/**
 * Makes a record of settings from a section of the configuration.
 *
 * <p>The key of a setting is the name of its component in kebab case: {@code maxPrompt} is read
 * from {@code max-prompt}. A component may be
 *
 * <ul>
 *   <li>{@code int}, {@code long}, {@code double}, {@link BigDecimal} or {@link Duration}, with a
 *       {@link Range};
 *   <li>{@code boolean}, {@code String}, {@link Path}, or an enum, whose constants are written in
 *       kebab case;
 *   <li>a list of strings;
 *   <li>an {@link Optional} of any of these: the empty string and the word {@code unlimited} stand
 *       for none;
 *   <li>a record, for a nested section;
 *   <li>a map from names that the operator chooses to texts, to numbers, or to records. What a
 *       record leaves out is taken from the section {@code <key>-default} beside it, if there is
 *       one, or from the one that the component's {@link Section} names.
 * </ul>
 *
 * <p>What concerns several settings at once is checked by the record's constructor, which throws an
 * {@link IllegalArgumentException}. All refusals are {@link ConfigException.BadValue}s that name
 * the path, the value and what is allowed. A record that cannot be bound at all, for example since
 * a number has no range, is an {@link IllegalStateException}.
 */
public final class Settings {

  /** What an {@link Optional} has for none. */
  private static final Set<Object> NONE = Set.of("", "unlimited");

  private Settings() {}

  /**
   * Reads the section that the record's {@link Section} names.
   *
   * @param config the whole configuration, resolved, with its defaults
   */
  public static <T extends Record> T read(Class<T> type, Config config) {
    Section section = type.getAnnotation(Section.class);
    if (section == null) {
      throw new IllegalStateException(type + " names no section");
    }
    return read(type, config, section.value());
  }

  /**
   * Reads a section.
   *
   * @param config the whole configuration, resolved, with its defaults
   * @param path of the section, from the root
   */
  public static <T extends Record> T read(Class<T> type, Config config, String path) {
    return of(type, config.getConfig(path), path);
  }

  /**
   * Makes a record of a section that was put together of several.
   *
   * @param path that refusals name
   */
  public static <T extends Record> T of(Class<T> type, Config section, String path) {
    return type.cast(bind(type, section, path));
  }

  /**
   * Looks whether a section has no keys but some. A slip of the pen would change nothing.
   *
   * @throws ConfigException.BadValue naming the first other key
   */
  public static void known(Config section, Collection<String> keys, String path) {
    section.root().keySet().stream()
        .filter(given -> !keys.contains(given))
        .min(Comparator.naturalOrder())
        .ifPresent(given -> {
          throw new ConfigException.BadValue(
              path + "." + given, "there is no such setting, these are: " + new TreeSet<>(keys));
        });
  }

  private static Object bind(Class<?> type, Config section, String path) {
    RecordComponent[] components = type.getRecordComponents();
    Object[] values = new Object[components.length];
    Class<?>[] types = new Class<?>[components.length];
    for (int i = 0; i < components.length; i++) {
      types[i] = components[i].getType();
      values[i] =
          new Setting(components[i], section, path)
              .value(components[i].getGenericType(), key(components[i].getName()));
    }
    try {
      Constructor<?> constructor = type.getDeclaredConstructor(types);
      constructor.setAccessible(true);
      return constructor.newInstance(values);
    } catch (InvocationTargetException refused) {
      switch (refused.getCause()) {
        case ConfigException own -> throw own;
        case IllegalArgumentException bad ->
            throw new ConfigException.BadValue(path, bad.getMessage(), bad);
        case RuntimeException broken -> throw broken;
        default -> throw new IllegalStateException(type + " at " + path, refused);
      }
    } catch (ReflectiveOperationException impossible) {
      throw new IllegalStateException(type + " at " + path, impossible);
    }
  }

  /** The keys of a section that becomes such a record. */
  public static List<String> keys(Class<?> type) {
    return Arrays.stream(type.getRecordComponents()).map(part -> key(part.getName())).toList();
  }

  /** {@code maxPrompt} as {@code max-prompt}, {@code KUBERNETES_API} as {@code kubernetes-api}. */
  private static String key(String name) {
    return name.replaceAll("(?<=[a-z0-9])(?=[A-Z])", "-")
        .replace('_', '-')
        .toLowerCase(Locale.ROOT);
  }

  /** One component, and where its value stands. */
  private record Setting(RecordComponent component, Config section, String path) {

    Object value(Type type, String key) {
      if (type instanceof ParameterizedType parameterized) {
        Type last =
            parameterized
                .getActualTypeArguments()[parameterized.getActualTypeArguments().length - 1];
        return switch (parameterized.getRawType()) {
          case Class<?> raw when raw == Optional.class -> optional(last, key);
          case Class<?> raw when raw == List.class && last == String.class ->
              read(() -> List.copyOf(section.getStringList(key)), key, "a list of texts");
          case Class<?> raw when raw == Map.class && last == String.class -> texts(key);
          case Class<?> raw when raw == Map.class -> named((Class<?>) last, key);
          default -> throw unbindable();
        };
      }
      return switch ((Class<?>) type) {
        case Class<?> is when is == boolean.class || is == Boolean.class ->
            read(() -> section.getBoolean(key), key, "on or off");
        case Class<?> is when is == String.class ->
            read(() -> section.getString(key), key, "a text");
        case Class<?> is when is == Path.class ->
            read(() -> Path.of(section.getString(key)), key, "a path");
        case Class<?> is when is.isEnum() -> constant(is, key);
        case Class<?> is when is.isRecord() ->
            bind(is, read(() -> section.getConfig(key), key, "a section"), path + "." + key);
        case Class<?> is -> ranged(is, key);
      };
    }

    private Optional<Object> optional(Type type, String key) {
      Object given = read(() -> section.getAnyRef(key), key, "a value or nothing");
      return NONE.contains(given) ? Optional.empty() : Optional.of(value(type, key));
    }

    /** Names may hold dots. */
    private Map<String, String> texts(String key) {
      Map<String, String> texts = new TreeMap<>();
      read(() -> section.getConfig(key), key, "texts by name")
          .entrySet()
          .forEach(one ->
              texts.put(
                  String.join(".", ConfigUtil.splitPath(one.getKey())),
                  String.valueOf(one.getValue().unwrapped())));
      return Map.copyOf(texts);
    }

    private Map<String, Object> named(Class<?> type, String key) {
      Config all = read(() -> section.getConfig(key), key, "a section");
      Section named = component.getAnnotation(Section.class);
      String usualKey = named == null ? key + "-default" : named.value();
      Config usual =
          section.hasPath(usualKey) ? section.getConfig(usualKey) : ConfigFactory.empty();
      Map<String, Object> read = new TreeMap<>();
      for (String name : all.root().keySet()) {
        if (!type.isRecord()) {
          Setting number = new Setting(component, all, path + "." + key);
          read.put(name, number.value(type, ConfigUtil.quoteString(name)));
          continue;
        }
        String own = path + "." + key + "." + ConfigUtil.joinPath(name);
        Config entry =
            read(() -> all.getConfig(ConfigUtil.quoteString(name)), key, "sections by name");
        known(entry, keys(type), own);
        read.put(name, bind(type, entry.withFallback(usual), own));
      }
      return Map.copyOf(read);
    }

    private Object constant(Class<?> type, String key) {
      Map<String, Object> constants =
          Arrays.stream(type.getEnumConstants())
              .collect(Collectors.toMap(one -> key(((Enum<?>) one).name()), one -> one));
      String allowed = "one of " + String.join(", ", new TreeSet<>(constants.keySet()));
      Object value = constants.get(read(() -> section.getString(key), key, allowed));
      if (value == null) {
        throw refused(key, allowed);
      }
      return value;
    }

    private Object ranged(Class<?> type, String key) {
      Range range = component.getAnnotation(Range.class);
      if (range == null) {
        throw unbindable();
      }
      String allowed = range.min() + " to " + range.max();
      BigDecimal value = read(() -> number(type, section, key, range), key, allowed);
      BigDecimal min = end(type, range.min(), range);
      BigDecimal max = end(type, range.max(), range);
      if (value.compareTo(min) < 0 || value.compareTo(max) > 0) {
        throw refused(key, allowed);
      }
      return typed(type, value);
    }

    private BigDecimal end(Class<?> type, String text, Range range) {
      return number(type, ConfigValueFactory.fromAnyRef(text).atKey("end"), "end", range);
    }

    private BigDecimal number(Class<?> type, Config from, String key, Range range) {
      if (type == Duration.class) {
        return BigDecimal.valueOf(from.getDuration(key).toNanos());
      }
      if (type == BigDecimal.class) {
        return new BigDecimal(from.getString(key));
      }
      if (type == double.class) {
        return BigDecimal.valueOf(from.getDouble(key));
      }
      boolean size = range.max().endsWith("B");
      return BigDecimal.valueOf(size ? from.getBytes(key) : from.getLong(key));
    }

    private Object typed(Class<?> type, BigDecimal value) {
      return switch (type.getName()) {
        case "int", "java.lang.Integer" -> value.intValueExact();
        case "long", "java.lang.Long" -> value.longValueExact();
        case "double" -> value.doubleValue();
        case "java.math.BigDecimal" -> value;
        case "java.time.Duration" -> Duration.ofNanos(value.longValueExact());
        default -> throw unbindable();
      };
    }

    /** The library's own words name the key without its root, and what a value is in its terms. */
    private <T> T read(Supplier<T> getter, String key, String allowed) {
      try {
        return getter.get();
      } catch (ConfigException.Missing missing) {
        throw new ConfigException.Missing(path + "." + key, missing);
      } catch (ConfigException.WrongType | ConfigException.BadValue | NumberFormatException other) {
        throw refused(key, allowed);
      }
    }

    private ConfigException refused(String key, String allowed) {
      return new ConfigException.BadValue(
          path + "." + key, "is " + section.getAnyRef(key) + ", but must be " + allowed);
    }

    private IllegalStateException unbindable() {
      return new IllegalStateException(
          component.getDeclaringRecord() + "." + component.getName() + " cannot be bound");
    }
  }
}
