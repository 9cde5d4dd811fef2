/**
 * What callers see of agents, their runs and their past: values of their own, in the form in which
 * handles return them and HTTP and {@code --json} show them. Nothing here is stored, so a change of
 * what is journaled changes none of it. Depends on the ids and values of the root, on {@code
 * action}, {@code stream} and {@code suspension}, and on Jackson's annotations.
 *
 * <p>Where a value has variants, the member {@code type} names the variant, in lower case words
 * with hyphens. What may be absent is an {@code Optional} and left out of the JSON; lists and maps
 * are always there.
 */
package dev.colony.agent.view;
