/**
 * The inference gateway: one port through which every model call goes, to the replica where the
 * prompt's pages are resident, over the OpenAI chat-completions protocol.
 *
 * <p>This root package is the public API; it depends on Jackson's tree model only.
 */
package dev.colony.inference;
