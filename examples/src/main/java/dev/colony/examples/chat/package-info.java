/** An agent that holds a conversation: its experience is one stream, the chat thread. */
package dev.colony.examples.chat;
