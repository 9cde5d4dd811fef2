package dev.colony.inference;

import java.util.List;
import java.util.OptionalLong;
import java.util.Set;

/**
 * A model that calls may ask for.
 *
 * @param name by which it is chosen; empty for the default where that has none
 * @param served its name at its servers; empty while no server was asked and no setting says it
 * @param contextTokens how many tokens prompt and reply may have together; empty where that is not
 *     known
 * @param tools whether it takes tools as such, as far as is known: true until its server says no
 * @param usual whether it is the default
 * @param fallbacks names of those that are asked where it is not available, in their order
 */
public record OfferedModel(
    String name,
    String served,
    OptionalLong contextTokens,
    boolean tools,
    boolean usual,
    Set<String> tags,
    List<String> fallbacks) {}
