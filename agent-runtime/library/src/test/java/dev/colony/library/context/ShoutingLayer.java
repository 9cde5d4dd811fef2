package dev.colony.library.context;

import dev.colony.agent.author.Registered;
import dev.colony.library.context.ContextBuilder.ContextRequest;
import dev.colony.library.context.ContextLayer.ContextSection;
import dev.colony.library.context.ContextLayer.SectionBudget;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;

// guide: layer
/** The discussion, for an agent that is hard of hearing. */
@Registered("test.shouting")
public final class ShoutingLayer implements ContextLayer {

  @Override
  public String name() {
    return "SHOUTING";
  }

  @Override
  public Optional<ContextSection> render(
      ContextRequest request, Set<String> shown, SectionBudget budget) {
    StringBuilder text = new StringBuilder("WHAT'S BEEN SHOUTED");
    request
        .stage()
        .publicSpeech()
        .forEach(line -> text.append('\n').append(line.text().toUpperCase(Locale.ROOT)));
    return Optional.of(ContextSection.of(text.toString()));
  }
}

// guide end
