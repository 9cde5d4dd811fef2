package dev.colony.bench.plan;

import dev.colony.agent.EventBatch;
import dev.colony.agent.author.ActionExecutor;
import dev.colony.agent.author.AgentCapability;
import dev.colony.agent.author.CapabilityContext;
import dev.colony.agent.author.EventHandler;
import dev.colony.agent.author.Param;
import dev.colony.agent.author.Registered;
import dev.colony.agent.author.TypeProvider;
import dev.colony.library.stream.ConversationFormatter;
import java.util.Map;

/** Registers what the benchmark's agents are made of. */
public final class PlanTypes implements TypeProvider {

  @Override
  public void register(Types types) {
    types.add(Desk.class);
  }

  /** Actions that answer at once; one of them never succeeds. */
  @Registered(value = Desk.TYPE, summary = "Papers on a desk, and a visitor before it.")
  static final class Desk extends AgentCapability {

    static final String TYPE = "bench.desk";
    static final String WRITE = "desk.write";
    static final String TEAR = "desk.tear";
    static final String ANSWER = "desk.answer";
    static final String VISITOR = "visitor:";

    Desk(CapabilityContext context) {
      super(context);
    }

    @ActionExecutor(key = WRITE, summary = "Writes a paper and puts it on the desk.")
    Map<String, Object> write(@Param("what it says") String text) {
      return Map.of("text", text, "length", text.length());
    }

    @ActionExecutor(key = TEAR, summary = "Tears a paper.")
    String tear(@Param("what it says") String text) {
      throw new IllegalStateException("it is too thick to tear: " + text);
    }

    @ActionExecutor(key = ANSWER, summary = "Answers the visitor.")
    String answer(@Param("the answer, in plain words") String message) {
      return message;
    }

    @EventHandler(pattern = VISITOR + "*", contextKey = ConversationFormatter.USER_CONTEXT_KEY)
    String heard(EventBatch.Event event) {
      return event.value().orElseThrow().asText();
    }
  }
}
