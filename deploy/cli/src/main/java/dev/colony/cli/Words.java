package dev.colony.cli;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.typesafe.config.ConfigException;
import com.typesafe.config.ConfigValueFactory;
import dev.colony.agent.AgentId;
import dev.colony.agent.ResumptionCondition;
import dev.colony.agent.RunId;
import dev.colony.agent.SessionId;
import dev.colony.agent.author.JsonValues;
import dev.colony.agent.client.HistoryPage.HistoryPosition;
import dev.colony.blackboard.Position;
import dev.colony.blackboard.Scope;
import dev.colony.blackboard.SubscribeFrom;
import dev.colony.blackboard.protocol.EntryKey;
import dev.colony.blackboard.protocol.EntryTag;
import dev.colony.blackboard.protocol.KeyGlob;
import dev.colony.blackboard.value.ValueRules;
import dev.colony.cli.ask.AskRecord.AskBudget;
import dev.colony.cli.ask.AskRecord.AskPolicy;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.function.Function;
import picocli.CommandLine;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** What the words of a command line name; one that names nothing is bad input. */
final class Words {

  private Words() {}

  /** Has all commands read options and arguments of these types alike. */
  static void register(CommandLine line) {
    line.registerConverter(AgentId.class, word(AgentId::parse));
    line.registerConverter(RunId.class, word(RunId::new));
    line.registerConverter(SessionId.class, word(SessionId::new));
    line.registerConverter(HistoryPosition.class, word(HistoryPosition::parse));
    line.registerConverter(Scope.class, word(Scope::parse));
    line.registerConverter(KeyGlob.class, word(KeyGlob::new));
    line.registerConverter(Duration.class, word(Words::period));
    line.registerConverter(Position.class, word(Words::position));
    line.registerConverter(SubscribeFrom.Start.class, word(Words::start));
    line.registerConverter(AskPolicy.class, word(AskPolicy::of));
    line.registerConverter(AskBudget.class, word(AskBudget::of));
  }

  private static <T> ITypeConverter<T> word(Function<String, T> parse) {
    return word -> {
      try {
        return parse.apply(word);
      } catch (IllegalArgumentException bad) {
        throw new TypeConversionException(bad.getMessage());
      }
    };
  }

  /** As HOCON writes it: {@code 90s}, {@code 15m}, {@code 2h}. */
  private static Duration period(String word) {
    try {
      return ConfigValueFactory.fromAnyRef(word).atKey("period").getDuration("period");
    } catch (ConfigException bad) {
      throw new IllegalArgumentException("give a number and a unit, for example 90s or 2h", bad);
    }
  }

  /** For example {@code 1718000000000-42}. */
  private static Position position(String word) {
    try {
      return Position.parse(word);
    } catch (IllegalArgumentException bad) {
      throw new IllegalArgumentException(
          "give a position as the events show it, for example 1718000000000-42", bad);
    }
  }

  /** {@code now}, {@code beginning} or a position. */
  private static SubscribeFrom.Start start(String word) {
    return switch (word) {
      case "now" -> SubscribeFrom.now();
      case "beginning" -> SubscribeFrom.beginning();
      default -> SubscribeFrom.after(position(word));
    };
  }

  private abstract static class Word<T> implements ITypeConverter<T> {

    private final ITypeConverter<T> parse;

    Word(Function<String, T> parse) {
      this.parse = word(parse);
    }

    @Override
    public T convert(String word) throws Exception {
      return parse.convert(word);
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

  static final class Signal extends Word<String> {
    Signal() {
      super(word -> new ResumptionCondition.Custom(word).key());
    }
  }

  static final class Name extends Word<String> {
    Name() {
      super(Name::check);
    }

    private static String check(String word) {
      try {
        return Scope.tenant(word).tenant();
      } catch (IllegalArgumentException bad) {
        throw new IllegalArgumentException(
            "a name is 1 to 128 characters of A-Z a-z 0-9 . _ ~ -, not: " + word, bad);
      }
    }
  }

  /** What ends a suspension, for example {@code signal:go} or {@code in:15m}. */
  static final class Until extends Word<Function<InstantSource, ResumptionCondition>> {

    private static final String FORMS =
        "give signal:NAME, approval:NAME, at:TIME, in:PERIOD, ended:AGENT or a condition as JSON";

    Until() {
      super(Until::parse);
    }

    private static Function<InstantSource, ResumptionCondition> parse(String word) {
      if (word.startsWith("{")) {
        ResumptionCondition condition = json(word);
        return clock -> condition;
      }
      try {
        if (word.startsWith("in:")) {
          Duration period = period(word.substring("in:".length()));
          return clock -> new ResumptionCondition.At(clock.instant().plus(period));
        }
        ResumptionCondition condition = read(word);
        return clock -> condition;
      } catch (IllegalArgumentException | DateTimeException bad) {
        throw new IllegalArgumentException(FORMS + ", not: " + word, bad);
      }
    }

    private static ResumptionCondition json(String word) {
      try {
        JsonNode json = JsonValues.parse(word);
        return ResumptionCondition.given(ValueRules.check("it", json));
      } catch (JsonProcessingException malformed) {
        throw new IllegalArgumentException(FORMS + ", not: " + word, malformed);
      } catch (IllegalArgumentException unfit) {
        throw new IllegalArgumentException(FORMS + ": " + unfit.getMessage(), unfit);
      }
    }

    private static ResumptionCondition read(String word) {
      int colon = word.indexOf(':');
      String what = colon < 0 ? word : word.substring(0, colon);
      String of = word.substring(colon + 1);
      return switch (what) {
        case "signal" -> new ResumptionCondition.Custom(of);
        case "approval" -> new ResumptionCondition.Approved(of);
        case "at" -> new ResumptionCondition.At(Instant.parse(of));
        case "ended" -> new ResumptionCondition.ChildrenCompleted(List.of(AgentId.parse(of)));
        default -> throw new IllegalArgumentException(what);
      };
    }
  }
}
