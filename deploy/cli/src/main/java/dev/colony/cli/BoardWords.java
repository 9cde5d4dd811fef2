package dev.colony.cli;

import com.typesafe.config.ConfigException;
import com.typesafe.config.ConfigValueFactory;
import dev.colony.blackboard.Position;
import dev.colony.blackboard.Scope;
import dev.colony.blackboard.SubscribeFrom;
import dev.colony.blackboard.key.EntryKey;
import dev.colony.blackboard.key.EntryTag;
import dev.colony.blackboard.key.KeyGlob;
import java.time.Duration;
import java.util.function.Function;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** What the arguments of a board command name; one that names nothing is bad input. */
final class BoardWords {

  private BoardWords() {}

  private abstract static class Word<T> implements ITypeConverter<T> {

    private final Function<String, T> parse;

    Word(Function<String, T> parse) {
      this.parse = parse;
    }

    @Override
    public T convert(String word) {
      try {
        return parse.apply(word);
      } catch (IllegalArgumentException bad) {
        throw new TypeConversionException(bad.getMessage());
      }
    }
  }

  /** For example {@code tenant:acme:colony:billing:agent:reviewer:namespace:x}. */
  static final class ScopePath extends Word<Scope> {
    ScopePath() {
      super(Scope::parse);
    }
  }

  static final class Key extends Word<String> {
    Key() {
      super(EntryKey::check);
    }
  }

  static final class Tag extends Word<String> {
    Tag() {
      super(EntryTag::check);
    }
  }

  static final class Glob extends Word<KeyGlob> {
    Glob() {
      super(KeyGlob::new);
    }
  }

  /** As HOCON writes it: {@code 90s}, {@code 15m}, {@code 2h}. */
  static final class Period extends Word<Duration> {
    Period() {
      super(Period::parse);
    }

    static Duration parse(String word) {
      try {
        return ConfigValueFactory.fromAnyRef(word).atKey("period").getDuration("period");
      } catch (ConfigException bad) {
        throw new IllegalArgumentException("give a number and a unit, for example 90s or 2h", bad);
      }
    }
  }

  /** For example {@code 1718000000000-42}. */
  static final class At extends Word<Position> {
    At() {
      super(At::parse);
    }

    static Position parse(String word) {
      try {
        return Position.parse(word);
      } catch (IllegalArgumentException bad) {
        throw new IllegalArgumentException(
            "give a position as the events show it, for example 1718000000000-42", bad);
      }
    }
  }

  /** {@code now}, {@code beginning} or a position. */
  static final class Start extends Word<SubscribeFrom.Start> {
    Start() {
      super(word ->
          switch (word) {
            case "now" -> SubscribeFrom.now();
            case "beginning" -> SubscribeFrom.beginning();
            default -> SubscribeFrom.after(At.parse(word));
          });
    }
  }
}
