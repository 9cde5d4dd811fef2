package com.example.harbour;

import dev.colony.agent.author.ActionExecutor;
import dev.colony.agent.author.AgentCapability;
import dev.colony.agent.author.AgentCapability.CapabilityContext;
import dev.colony.agent.author.Param;
import dev.colony.agent.author.Registered;
import java.util.Map;

@Registered(value = "harbour.glossary", summary = "Explains the words of seafaring.")
public final class GlossaryCapability extends AgentCapability {

  /** What the glossary is about. */
  public record Args(Map<String, String> terms) {}

  private final Args args;

  public GlossaryCapability(CapabilityContext context, Args args) {
    super(context);
    this.args = args;
  }

  @ActionExecutor(summary = "Looks up what a term means.")
  String lookUp(@Param("the term, as it was asked for") String term) {
    String meaning = args.terms().get(term);
    if (meaning == null) {
      throw new IllegalArgumentException("no such term; known: " + args.terms().keySet());
    }
    return meaning;
  }
}
