package dev.colony.library.stream;

import dev.colony.agent.Blueprint;
import dev.colony.agent.author.Registered;
import dev.colony.agent.stream.StreamEntries;
import dev.colony.agent.stream.StreamEntry;
import dev.colony.agent.stream.StreamFilter;
import java.util.List;

/** Accepts actions whose key contains one of the given texts. */
@Registered(
    value = "stream.action-key-substring",
    summary = "Actions whose key contains one of these texts.")
public final class ActionKeySubstringFilter implements StreamFilter {

  /**
   * @param substrings at least one; case matters
   */
  public record Args(List<String> substrings) {

    public Args {
      substrings = Wanted.texts("substrings", substrings);
    }
  }

  private final List<String> substrings;

  ActionKeySubstringFilter(Args args) {
    this.substrings = args.substrings();
  }

  public static Blueprint bind(String... substrings) {
    return Blueprint.bind(ActionKeySubstringFilter.class, new Args(List.of(substrings)));
  }

  @Override
  public boolean accepts(StreamEntry entry) {
    return entry.kind().equals(StreamEntry.ACTION)
        && substrings.stream().anyMatch(StreamEntries.actionKey(entry)::contains);
  }
}
