/**
 * What a policy shows the model when it plans: the planning context, the layers that render its
 * sections, the tools that its actions are, and the budget of each. Source: the seed's pages on
 * consciousness streams (where they stand in the prompt) and on the agent system (background
 * processes). Pure, and knows no policy.
 */
package dev.colony.library.prompt;
