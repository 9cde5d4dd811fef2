package dev.colony.library.stream;

import dev.colony.agent.author.TypeProvider;

/** The stock filters and formatters. */
public final class StreamTypes implements TypeProvider {

  @Override
  public void register(Types types) {
    types.add(EventContextKeyFilter.class);
    types.add(ActionKeySubstringFilter.class);
    types.add(SuccessfulActionFilter.class);
    types.add(AnyOf.class);
    types.add(AllOf.class);
    types.add(Not.class);
    types.add(ConversationFormatter.class);
    types.add(JSONStreamFormatter.class);
  }
}
