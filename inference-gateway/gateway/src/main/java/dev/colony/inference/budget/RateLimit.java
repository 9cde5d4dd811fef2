package dev.colony.inference.budget;

import java.util.OptionalLong;

/**
 * How much may be asked in a minute, as a bucket that holds a minute's worth and fills evenly.
 *
 * @param name of what it limits, in refusals: {@code tenant acme}, {@code model gpt-5}
 * @param requests empty for no bound
 * @param tokens of prompts and replies; empty for no bound
 */
public record RateLimit(String name, OptionalLong requests, OptionalLong tokens) {

  public boolean bounded() {
    return requests.isPresent() || tokens.isPresent();
  }
}
