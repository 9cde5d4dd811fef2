dependencies {
    api(project(":blackboard"))
    testImplementation(project(path = ":blackboard", configuration = "testJar"))
    testImplementation(libs.logback.classic)
}
