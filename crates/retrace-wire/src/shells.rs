//! Messages of the shells: of the server of the page and of the desktop.
//!
//! They are declared here, since the catalogues are made from the crates below the shells.

retrace_message::messages! {
    /// Messages of the shells.
    pub mod shell in "shell";
    get_api_v1_commands_lists() => "GET /api/v1/commands lists them.",
    request_did_not_arrive_time() => "The request did not arrive in time.",
    send_content_type_application_json() => "Send `Content-Type: application/json`.",
    request_not_json() => "The request is not JSON.",
    request_broke_off() => "The request broke off.",
    request_larger_than_32_mib() => "The request is larger than 32 MiB.",
    request_not_json_2(error) => "The request is not JSON: {error}.",
    no_thread_can_started(error) => "No thread can be started: {error}.",
    state_log_cannot_read(error) => "The state of the log cannot be read: {error}.",
    request_another_host() => "The request is for another host.",
    use_address_retrace_printed() => "Use the address that Retrace printed.",
    request_comes_from_another_origin() => "The request comes from another origin.",
    token_missing_or_wrong() => "The token is missing or wrong.",
    send_content_token_file_authorization() => "Send the content of the token file as `Authorization: Bearer …` or `x-api-key: …`.",
    path_not_take_method() => "This path does not take that method.",
    nothing_here() => "There is nothing here.",
    directorys_name_not_valid_unicode() => "The directory's name is not valid Unicode, and the window cannot pass it on.",
    add_terminal_retrace_stores_add() => "Add it in a terminal: retrace stores add DIR",
    chosen_place_not_directory_machine() => "The chosen place is not a directory of this machine.",
    program_failed_command_log_before() => "The program failed at this command; the log is as it was before.",
    please_report_what_you_did() => "Please report it with what you did.",
    no_such_command() => "There is no such command.",
    bug_in_retrace() => "This is a bug in Retrace.",
    report_what_you_did() => "Please report what you did.",
    line_between_window_program_broke() => "The line between the window and its program broke.",
    program_behind_window_not_started() => "The program behind the window cannot be started.",
    program_behind_window_said_nothing() => "The program behind the window did not answer its start.",
    program_behind_window_ended() => "The program behind the window ended.",
    try_again_started_anew() => "Try again: it is started anew.",
    window_and_program_differ() => "The window and the program behind it are of different versions.",
    restart_window_or_install_both() => "Close the window and open it again; if this stays, install both from one package.",
    install_window_and_program_together() => "Install the window and `retrace` from one package; they belong side by side.",
}
