package dev.colony.cli;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import dev.colony.agent.AgentId;
import dev.colony.agent.RunId;
import dev.colony.agent.SessionId;
import dev.colony.agent.suspension.ResumptionCondition;
import dev.colony.agent.view.HistoryPosition;
import dev.colony.blackboard.Scope;
import dev.colony.blackboard.value.ValueRules;
import dev.colony.schema.JsonValues;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.function.Function;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** What the arguments of an agents command name; one that names nothing is bad input. */
final class AgentWords {

  private AgentWords() {}

  /** For example {@code acme/billing/reviewer}. */
  static final class Id implements ITypeConverter<AgentId> {
    @Override
    public AgentId convert(String word) {
      try {
        return AgentId.parse(word);
      } catch (IllegalArgumentException bad) {
        throw new TypeConversionException(bad.getMessage());
      }
    }
  }

  /** The name of a tenant or a colony. */
  static final class Name implements ITypeConverter<String> {
    @Override
    public String convert(String word) {
      try {
        return Scope.tenant(word).tenant();
      } catch (IllegalArgumentException bad) {
        throw new TypeConversionException(
            "a name is 1 to 128 characters of A-Z a-z 0-9 . _ ~ -, not: " + word);
      }
    }
  }

  /** The id of a run. */
  static final class Run implements ITypeConverter<RunId> {
    @Override
    public RunId convert(String word) {
      try {
        return new RunId(word);
      } catch (IllegalArgumentException bad) {
        throw new TypeConversionException(bad.getMessage());
      }
    }
  }

  /** The id of a session. */
  static final class Session implements ITypeConverter<SessionId> {
    @Override
    public SessionId convert(String word) {
      try {
        return new SessionId(word);
      } catch (IllegalArgumentException bad) {
        throw new TypeConversionException(bad.getMessage());
      }
    }
  }

  /** A place in an agent's history. */
  static final class Place implements ITypeConverter<HistoryPosition> {
    @Override
    public HistoryPosition convert(String word) {
      try {
        return HistoryPosition.parse(word);
      } catch (IllegalArgumentException bad) {
        throw new TypeConversionException(bad.getMessage());
      }
    }
  }

  /** The name of a signal. */
  static final class Signal implements ITypeConverter<String> {
    @Override
    public String convert(String word) {
      try {
        return new ResumptionCondition.Custom(word).key();
      } catch (IllegalArgumentException bad) {
        throw new TypeConversionException(bad.getMessage());
      }
    }
  }

  /** What ends a suspension, for example {@code signal:go} or {@code in:15m}. */
  static final class Until implements ITypeConverter<Function<Instant, ResumptionCondition>> {

    private static final String FORMS =
        "give signal:NAME, approval:NAME, at:TIME, in:PERIOD, ended:AGENT or a condition as JSON";

    @Override
    public Function<Instant, ResumptionCondition> convert(String word) {
      try {
        if (word.startsWith("in:")) {
          Duration period = BoardWords.Period.parse(word.substring("in:".length()));
          return now -> new ResumptionCondition.At(now.plus(period));
        }
        ResumptionCondition condition = word.startsWith("{") ? json(word) : read(word);
        return now -> condition;
      } catch (IllegalArgumentException | DateTimeException | JsonProcessingException bad) {
        throw new TypeConversionException(FORMS + ", not: " + word);
      }
    }

    private static ResumptionCondition json(String word) throws JsonProcessingException {
      JsonNode json = JsonValues.parse(word);
      try {
        return ResumptionCondition.given(ValueRules.check("it", json));
      } catch (IllegalArgumentException unfit) {
        throw new TypeConversionException(FORMS + ": " + unfit.getMessage());
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
